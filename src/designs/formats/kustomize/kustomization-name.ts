/** Names of folders and archives that say what something is for, or that it is one, and not what it is. */
const GENERIC_NAME =
  /^(?:overlays?|bases?|variants?|environments?|envs?|stag(?:e|ing)|prod(?:uction)?|pre-?prod(?:uction)?|dev(?:elopment|el)?|test(?:s|ing)?|qa|uat|ci|local|canary|preview|default|kustom(?:ize|ization)|k8s|kube(?:rnetes)?|deploy(?:ments?)?|manifests?|yamls?|config(?:s|uration)?|clusters?|components?|apps?|resources?|releases?|archive|upload(?:ed)?|sent|download|design(?:[_-]file)?|file|main|master|src|root|\.+)$/i;
/** What hosts of repositories add to the name of one in an archive of it: a branch, a version or a commit. */
const REPOSITORY_REFERENCE = /-(?:main|master|develop|trunk|v?\d+(?:\.\d+)*|[0-9a-f]{7,40})$/i;

/** What is known of a Kustomization that says what it deploys. */
export interface KustomizationPlace {
  /** Its folder in the archive, empty when it is on top. */
  folder: string;
  /** The folders of its bases, nearest first. */
  bases: readonly string[];
  /** The archive or file without its ending. */
  file: string;
}

/**
 * A name for a Kustomization: one with bases is a variant, called after the folders around it, as its repository, and else after a base; one without
 * is called after its folder. Words such as "staging" or "overlays" are no names while there is another.
 */
export function nameKustomization({ folder, bases, file }: KustomizationPlace): string {
  const segments = folder.split('/').filter((segment) => segment !== '');
  const around = bases.length > 0 ? segments.slice(0, -1) : segments;
  const candidates = [...around.reverse(), file, ...bases.flatMap((base) => base.split('/').reverse())];
  const found = candidates.map(withoutReference).find((name) => name !== '' && !GENERIC_NAME.test(name));
  return (found ?? segments.at(-1) ?? file).slice(0, 255);
}

function withoutReference(name: string): string {
  return name.replace(REPOSITORY_REFERENCE, '');
}
