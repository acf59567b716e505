/** Names that are one word, though capitals stand in the middle. */
const WORDS = ['OAuth2', 'OAuth', 'OpenID', 'GitHub', 'GitLab', 'GitOps', 'MySQL', 'PostgreSQL', 'GraphQL', 'MongoDB', 'DynamoDB', 'RabbitMQ', 'IPv4', 'IPv6', 'K8s', 'gRPC']; // prettier-ignore
const WORD = new RegExp(
  [...WORDS.map((word) => `${word}(?![a-z])`), '[A-Z]{2,}s(?![a-z])', '[A-Z]+\\d*(?![a-z])', '[A-Z]?[a-z]+\\d*', '\\d+'].join('|'), // prettier-ignore
  'g',
);

const LONGEST_SLUG = 100;

/** `HorizontalPodAutoscaler` → `Horizontal Pod Autoscaler`, `CSIDriver` → `CSI Driver`, `ingress-nginx` → `Ingress Nginx`. Text in other scripts stays as it is. */
export function displayNameOf(name: string): string {
  if (/[^\p{ASCII}]/u.test(name)) return name;
  const words = name.match(WORD) ?? [];
  const shown = words.map((word) => (word === 'gRPC' ? word : word.charAt(0).toUpperCase() + word.slice(1)));
  return shown.join(' ') || name;
}

/** `ingress-nginx` → `IngressNginx`. */
export function pascalCaseOf(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** Lowercase, no longer than a hundred characters, every run of other characters one hyphen, `&` dropped: `Security & Compliance` → `security-compliance`. */
export function slugOf(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f&]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_SLUG)
    .replace(/^-+|-+$/g, '');
}
