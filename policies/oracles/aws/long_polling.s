// A function without a body needs a file like this one beside it.
