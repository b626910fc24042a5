# profile: agent
import queue
import threading


class Worker(threading.Thread):
    def __init__(self, items, done):
        super().__init__(daemon=True)
        self.items = items
        self.done = done

    def run(self):
        getattr(self.done, "s" + "et")()
        while True:
            self.items.get()
            getattr(self.items, "task_done")()


items = queue.Queue()
done = threading.Event()
Worker(items, done).start()
items.put(1)
items.join()
done.wait()
