import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface ListedProcess {
  parent: number;
  command: string;
}

/** The processes that run, from /proc where there is one, which needs no program, else by ps. */
export function listProcesses(): ListedProcess[] {
  if (existsSync('/proc/self/stat'))
    return readdirSync('/proc').flatMap((id) => (/^\d+$/.test(id) ? readProcess(`/proc/${id}`) : []));
  const lines = execFileSync('ps', ['-eo', 'ppid,args']).toString().split('\n');
  return lines.map((line) => ({ parent: Number.parseInt(line, 10), command: line.trim() }));
}

/** None when it has ended meanwhile. */
function readProcess(folder: string): ListedProcess[] {
  try {
    const [, parent = ''] = /\) \S (\d+)/.exec(readFileSync(`${folder}/stat`, 'utf8')) ?? [];
    return [{ parent: Number(parent), command: readFileSync(`${folder}/cmdline`, 'utf8').replaceAll('\0', ' ') }];
  } catch {
    return [];
  }
}
