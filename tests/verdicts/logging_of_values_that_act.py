# profile: agent
import logging


class Counting:
    written = 0

    def __str__(self):
        Counting.written += 1
        if Counting.written > 3:
            raise KeyboardInterrupt
        return "value"


logging.basicConfig(level="INFO")
value = Counting()
try:
    while True:
        logging.info("%s", value)
except KeyboardInterrupt:
    print("enough")
while Counting.written < 3:
    logging.info("%s", [value])
