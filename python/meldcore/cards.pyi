# Part of the core: nothing here is for Python.
