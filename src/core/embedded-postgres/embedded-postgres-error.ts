/** The embedded database could not be started or stopped; states the problem and the remedy. */
export class EmbeddedPostgresError extends Error {
  /**
   * @param problem one sentence
   * @param remedy what the operator can do, one sentence
   * @param detail output of PostgreSQL or the operating system, any number of lines
   */
  constructor(
    problem: string,
    readonly remedy: string,
    { detail, cause }: { detail?: string; cause?: unknown } = {},
  ) {
    super(`${problem} ${remedy}${detail ? `\n${detail}` : ''}`, { cause });
    this.name = new.target.name;
  }
}

const KNOWN_FAILURES: readonly (readonly [pattern: RegExp, problem: string, remedy: string])[] = [
  [/ENOSPC|No space left on device/i, 'the disk is full.', 'Free at least 200 MB, or set DATA_DIR to another disk.'],
  [/EROFS|Read-only file system/i, 'the file system is read-only.', 'Set DATA_DIR to a folder that can be written.'],
  [/ENOTDIR/, 'a part of the path is a file.', 'Set DATA_DIR to a folder.'],
  [
    /could not look up effective user ID/i,
    'the user that runs this process has no entry in /etc/passwd.',
    'Add one, or set DATABASE_URL to a PostgreSQL server.',
  ],
  [
    /EACCES|EPERM|Permission denied|Operation not permitted|has wrong ownership/i,
    'permission was denied.',
    'Give DATA_DIR to the user that runs this process (chown -R), or set DATA_DIR to a folder of that user.',
  ],
  [
    /could not (create|resize) shared memory|No space left for semaphores|Cannot allocate memory/i,
    'the machine has too little memory.',
    'Give it at least 256 MB more, or set DATABASE_URL to a PostgreSQL server.',
  ],
];

const UNKNOWN_FAILURE = [
  undefined,
  'it failed.',
  'Set DATABASE_URL to use a PostgreSQL server of your own instead.',
] as const;

/**
 * Converts a failure of the file system or of PostgreSQL's programs to an error with a remedy.
 * @param doing the failed activity, such as `Creating the database in /srv/data`
 * @param failure an exception, or the last output of a program
 */
export function toEmbeddedPostgresError(doing: string, failure: unknown): EmbeddedPostgresError {
  if (failure instanceof EmbeddedPostgresError) return failure;
  const text = failure instanceof Error ? failure.message : String(failure);
  const known = KNOWN_FAILURES.find(([pattern]) => pattern.test(text));
  const [, problem, remedy] = known ?? UNKNOWN_FAILURE;
  return new EmbeddedPostgresError(`${doing}: ${problem}`, remedy, { detail: text.trim(), cause: failure });
}
