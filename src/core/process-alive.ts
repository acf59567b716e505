import process from 'node:process';

/** Reports whether a process with this id exists, under any user. Zero and negative numbers are groups of processes. */
export function isProcessAlive(pid: number): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
