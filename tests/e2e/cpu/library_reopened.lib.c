// A library with data of its own.
int table[1024];
