"""What differs between Linux, macOS and Windows, behind names that mean the same on each.

Nothing else asks which system it runs on. `posix` and `windows` each define

  STOPPING                    the signals that ask a program to stop
  RAISING                     those and whatever else may raise in the main thread
  Claim, claim(path)          a file or folder marked as in use by a living process; None where somebody else has it.
                              The mark leaves no file behind and ends with the process, however that ends
  claim_abandoned(path)       the same for what is to be tidied up: None also where the file system cannot tell
  Directory(path)             a directory that is held, to delete from it by name even if it is renamed meanwhile
  create(path)                a new empty file that only this call has made
  flush(path)                 what was written to a file or folder is on the disk when this returns
  exchange(one, other)        whether two names have changed places in one step; not every system can do that
  replace(part, final)        give a complete file its name; waits a moment for other programs that hold it open
  replacement_refusal(path)   why the system would not let anybody replace what stands there, if it tells beforehand
  memory_file()               a file in memory, without a buffer; None where there are none
  open_pipe(path)             a named pipe, open for writing; None while nobody reads from it
  writer(descriptor)          an open file or pipe to write bytes to; a pipe without a reader raises BrokenPipeError
  nobody_reads(error)         whether the reader of a pipe has gone
  limit_met(error)            the limit of this process that an error is about, in words to be put behind it
  is_held(error)              whether another program that has a file open is why it could not be replaced
  in_the_way(path)            the programs that hold a file open, in words, as far as the system tells
  child_options(*claims)      how to start a child that shares our claims and hears no signal from the keyboard
  adopt(process)              from now on the child ends with us, however we end
  kill(process)               end a child and all that it has started
  handed_over(text, beside, *claims)
                              a text as a file that a child can open by the name given, for as long as the block lasts,
                              and how to start that child
  signal_name(number)         what a signal is called
  quoted(word)                a word for a command line, as it would be typed
  give_way()                  from now on this process goes behind all others that want the processor
  interrupt(signal)           let the main thread hear a signal soon, without sending it
  recall(seconds, action)     call `action` in the main thread a moment later; `forget()` takes that back
  on_closing(action)          what the closing of the console or a logout becomes, where that is no signal
  usable_cores()              how many processors this process may use
  to_bytes(descriptor)        descriptors of standard streams pass bytes on as they are
  meant_by(word)              the files that a word on a command line means, where no shell has found them
  name_refusal(path)          why the system would not make a file of this name, or None
  device_refusal(path)        why nothing should be read by this name, or None
"""

import signal
import sys

if sys.platform == "win32":
    from boidsgen.system.windows import *  # noqa: F403  the names above, which are what `__all__` lists there
else:
    from boidsgen.system.posix import *  # noqa: F403


def signal_name(number: int) -> str:
    """What a signal is called here, or its number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
