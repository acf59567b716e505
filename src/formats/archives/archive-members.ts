const TEXT_FILE = /\.(?:ya?ml|json)$/i;
/** What tools leave in archives beside the files themselves. */
const CLUTTER = /(?:^|\/)(?:__MACOSX|\.git|\._[^/]*)(?:\/|$)/;

/** Whether a member of an archive is what nobody packed on purpose. */
export function isClutter(path: string): boolean {
  return CLUTTER.test(path);
}

/** Whether a member of an archive may be YAML or JSON, by its name; hidden clutter is not. */
export function isTextFile(path: string): boolean {
  return TEXT_FILE.test(path) && !isClutter(path);
}
