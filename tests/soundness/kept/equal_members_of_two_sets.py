a = {0, 3} & {False, 5}
b = {False, 5} & {0, 3}
c = {1, 2}.intersection({True, 7, 8})
