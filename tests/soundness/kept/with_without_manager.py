class Thing:
    pass


caught = None
try:
    with Thing() as thing:
        pass
except TypeError:
    caught = "type"
except AttributeError:
    caught = "attribute"
after = 7
