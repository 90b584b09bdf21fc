// Frames: the runtime's stack of calls, kept by the functions themselves.
//
// On entry a function writes its return address where the thread's next frame goes and moves the top
// past it; on return it puts the top back to where it was. So the top is right again however the
// functions it called came to their end: by return, exception or longjmp; a function that goes on
// after an exception puts it back to its own frame. No call and no landing pad of our own, as the
// stock pass needs. A function that switched the thread to another fiber finds another stack's top,
// and leaves it. At the end of the room the top stays where it is: deeper frames overwrite each other,
// and nothing is counted.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace redflag::pass {

void add_frame(llvm::Function& function);

// One of its stores: without them all there is no frame.
bool is_of_frame(const llvm::Instruction& instruction);

// The address of a field of the thread's state (abi.h), at the builder's place.
llvm::Value* hot_field(llvm::IRBuilderBase& builder, unsigned offset);

}  // namespace redflag::pass
