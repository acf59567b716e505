import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { forwardedCommand } from './program-api.js';

const runFile = promisify(execFile);

/** `auto`: where the system supports it. `require`: programs that cannot be isolated are not run. */
export type IsolationMode = 'auto' | 'require';

/** The server does not start: isolation is required, and the system does not support it. */
export class IsolationMissing extends Error {
  constructor() {
    super(
      'PROGRAM_ISOLATION=require: this system does not let helm and kustomize run in namespaces of their own. Allow unprivileged user namespaces and install util-linux (unshare, setpriv), or set PROGRAM_ISOLATION=auto.',
    );
    this.name = 'IsolationMissing';
  }
}

/** A program, and what it needs beside its scratch folder. */
export interface ProgramCall {
  program: string;
  args: readonly string[];
  /** Whether the program calls the API at the socket in its scratch folder. */
  callsApi?: boolean;
}

/** How a program is started, and the path of its scratch folder as it sees it. */
export interface ProgramLaunch {
  command: readonly [string, ...string[]];
  scratch: string;
  /** The PATH of the command, before the program's own. */
  path?: string;
}

const SCRATCH_MOUNT = '/armature-run';
const TOOLS_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const NAMESPACES = ['--user', '--map-root-user', '--net', '--mount', '--pid', '--ipc', '--uts', '--fork'];
/** The exit code of a failed set-up; the programs that run here do not use it. */
const SETUP_FAILED_STATUS = 125;

/**
 * Creates a separate root, read-only except for the scratch folder, with the libraries of the system, the program and a second one
 * that it may start; then runs the program in it without capabilities. Its network has nothing but loopback, which is set up by sysfs,
 * because slim systems lack `ip`. `umount` needs /proc, so the old one is available until it is unmounted.
 */
const SETUP_SCRIPT = `
trap 'exit ${SETUP_FAILED_STATUS}' 0
set -e
scratch=$1 program=$2 second=$3 drop=$(command -v setpriv)
shift 3
root=$scratch/root
mount -t tmpfs -o mode=755,size=1m none "$root"
bind() { mount --rbind "$1" "$root$1"; mount -o remount,bind,ro "$root$1"; }
for place in /usr /bin /sbin /lib /lib32 /lib64; do
  if [ -L "$place" ]; then ln -s "$(readlink "$place")" "$root$place"
  elif [ -d "$place" ]; then mkdir "$root$place"; bind "$place"; fi
done
cd "$root"
mkdir dev old .${SCRATCH_MOUNT}
: > dev/null
mount --bind /dev/null dev/null
for each in "$program" "$second"; do
  if [ ! -e "$root$each" ]; then
    mkdir -p "$root\${each%/*}"
    : > "$root$each"
    bind "$each"
  fi
done
if mount -t sysfs none old; then
  echo 0x9 > old/class/net/lo/flags
  umount old
else ip link set lo up; fi
mount --bind "$scratch" .${SCRATCH_MOUNT}
ln -s old/proc proc
mount -o remount,bind,ro "$root"
pivot_root . old
cd ${SCRATCH_MOUNT}/work
umount -l /old
PATH=${SCRATCH_MOUNT}/empty
exec "$drop" --bounding-set=-all --inh-caps=-all --no-new-privs -- "$program" "$@"
`;

/** Starts programs in separate namespaces: without network, other processes, or files outside their scratch folder. */
export class Isolation {
  /** Without namespaces the only protection is the restricted input. */
  static readonly none = new Isolation(false);

  private constructor(readonly isIsolated: boolean) {}

  /** Tests the system once, by isolating a shell in a scratch folder. */
  static async probe(scratch: string): Promise<Isolation> {
    const isolation = new Isolation(true);
    const { command, path } = isolation.prepareLaunch({ program: '/bin/sh', args: ['-c', ':'] }, scratch);
    const [file, ...args] = command;
    try {
      await runFile(file, args, { env: { PATH: path }, timeout: 10_000 });
      return isolation;
    } catch {
      return Isolation.none;
    }
  }

  prepareLaunch({ program, args, callsApi = false }: ProgramCall, scratch: string): ProgramLaunch {
    if (!this.isIsolated) return { command: [program, ...args], scratch };
    const inside = callsApi
      ? [process.execPath, program, ...forwardedCommand(SCRATCH_MOUNT, program, args)]
      : [program, program, ...args];
    const command: ProgramLaunch['command'] = [
      'unshare',
      ...NAMESPACES,
      '/bin/sh',
      '-c',
      SETUP_SCRIPT,
      'sh',
      scratch,
      ...inside,
    ];
    return { command, scratch: SCRATCH_MOUNT, path: TOOLS_PATH };
  }

  /** Whether a run ended before the program started. */
  hasSetupFailed(status: number | null, said: string): boolean {
    return this.isIsolated && (status === SETUP_FAILED_STATUS || said.startsWith('unshare:'));
  }
}
