import { readFileSync } from 'node:fs';

/** A number in the status of a process, as proc(5) has it, such as `Threads`; NaN where the system does not report it. */
export function readStatus(pid: number | undefined, field: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? NaN);
  } catch {
    return NaN;
  }
}

/** Memory of a process now (`VmRSS`) or at most so far (`VmHWM`), in megabytes. */
export const readMemory = (pid: number | undefined, field: 'VmRSS' | 'VmHWM'): number => readStatus(pid, field) / 1024;
