/** Names of folders and archives that describe a purpose or the fact of being a Kustomization, not its content. */
const GENERIC_NAME =
  /^(?:overlays?|bases?|variants?|environments?|envs?|stag(?:e|ing)|prod(?:uction)?|pre-?prod(?:uction)?|dev(?:elopment|el)?|test(?:s|ing)?|qa|uat|ci|local|canary|preview|default|kustom(?:ize|ization)|k8s|kube(?:rnetes)?|deploy(?:ments?)?|manifests?|yamls?|config(?:s|uration)?|clusters?|components?|apps?|resources?|releases?|archive|upload(?:ed)?|sent|download|design(?:[_-]file)?|file|main|master|src|root|\.+)$/i;
/** What repository hosts append to the name in an archive: a branch, a version or a commit. */
const REPOSITORY_REFERENCE = /-(?:main|master|develop|trunk|v?\d+(?:\.\d+)*|[0-9a-f]{7,40})$/i;

/** Facts about a Kustomization that suggest its name. */
export interface KustomizationPlace {
  /** Its folder in the archive, empty for the top. */
  folder: string;
  /** The folders of its bases, nearest first. */
  bases: readonly string[];
  /** The archive or file without its ending. */
  file: string;
}

/**
 * A name for a Kustomization: one with bases is a variant, named after the folders around it, such as its repository, else after a base; one without
 * bases is named after its folder. Words such as "staging" or "overlays" are used only as a last resort.
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
