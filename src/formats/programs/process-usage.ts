import { readdirSync, readFileSync } from 'node:fs';

/** What a process and all that it started take together. */
export interface ProcessUsage {
  processes: number;
  /** Megabytes in memory and swap. */
  memory: number;
}

/** Undefined where the system has no /proc, or the process has ended. Processes that have taken another parent are not seen. */
export function readProcessUsage(root: number): ProcessUsage | undefined {
  const usage: ProcessUsage = { processes: 0, memory: 0 };
  const open = [root];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    try {
      const status = readFileSync(`/proc/${id}/status`, 'latin1');
      for (const [, kilobytes] of status.matchAll(/^Vm(?:RSS|Swap):\s+(\d+)/gm))
        usage.memory += Number(kilobytes) / 1024;
      usage.processes += 1;
      for (const thread of readdirSync(`/proc/${id}/task`))
        for (const child of readFileSync(`/proc/${id}/task/${thread}/children`, 'latin1').split(' '))
          if (child !== '') open.push(Number(child));
    } catch {
      if (usage.processes === 0) return undefined;
    }
  }
  return usage;
}
