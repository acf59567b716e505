const TEXT_FILE = /\.(?:ya?ml|json)$/i;
/** Files that tools leave in archives. */
const CLUTTER = /(?:^|\/)(?:__MACOSX|\.git|\._[^/]*)(?:\/|$)/;

/** Whether a member of an archive was left by a tool. */
export function isClutter(path: string): boolean {
  return CLUTTER.test(path);
}

/** Whether a member of an archive may be YAML or JSON, by its name; hidden files are not. */
export function isTextFile(path: string): boolean {
  return TEXT_FILE.test(path) && !isClutter(path);
}
