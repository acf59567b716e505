export interface ImageReference {
  /** Without registry, tag and digest: `istio/proxyv2`. */
  repository: string;
  /** Empty for an image with a digest only. */
  tag: string;
}

/** Registries accept no longer names. */
const MAX_LENGTH = 500;

/** Parses an image reference; an invalid one has an empty repository. */
export function parseImageReference(image: unknown): ImageReference {
  if (typeof image !== 'string' || image.length > MAX_LENGTH) return { repository: '', tag: '' };
  const [named = ''] = image.split('@');
  const slash = named.lastIndexOf('/');
  const colon = named.indexOf(':', slash + 1);
  const path = colon < 0 ? named : named.slice(0, colon);
  const first = path.indexOf('/');
  const isRegistry = first > 0 && /[.:]|^localhost$/.test(path.slice(0, first));
  return { repository: isRegistry ? path.slice(first + 1) : path, tag: colon < 0 ? '' : named.slice(colon + 1) };
}
