# profile: agent
import queue
import threading

items = queue.Queue()
done = threading.Event()


def let_go():
    with items.all_tasks_done:
        items.unfinished_tasks = 0
        items.all_tasks_done.notify_all()
    done._flag = True


threading.Timer(0.1, let_go).start()
items.put(1)
items.join()
done.wait()
