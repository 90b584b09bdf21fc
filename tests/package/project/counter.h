// What both programs count with; who calls it holds the lock, or should.
#pragma once
void visit();
