// A library to be opened and closed.
int table[64];
