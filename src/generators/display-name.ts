import { toCategorySlug } from '../formats/definitions/category.js';

/** Names with capitals in the middle that are one word. */
const WORDS = [
  ...['OAuth2', 'OAuth', 'OpenID', 'GitHub', 'GitLab', 'GitOps', 'IPv4', 'IPv6', 'K8s', 'gRPC'],
  ...['MySQL', 'PostgreSQL', 'GraphQL', 'MongoDB', 'DynamoDB', 'RabbitMQ'],
];
const WORD = new RegExp(
  [
    ...WORDS.map((word) => `${word}(?![a-z])`),
    '[A-Z]{2,}s(?![a-z])',
    '[A-Z]+\\d*(?![a-z])',
    '[A-Z]?[a-z]+\\d*',
    '\\d+',
  ].join('|'),
  'g',
);

const MAX_SLUG_LENGTH = 100;

/** `HorizontalPodAutoscaler` → `Horizontal Pod Autoscaler`, `CSIDriver` → `CSI Driver`, `ingress-nginx` → `Ingress Nginx`. Text in other scripts stays as it is. */
export function toDisplayName(name: string): string {
  if (/[^\p{ASCII}]/u.test(name)) return name;
  const words = name.match(WORD) ?? [];
  const shown = words.map((word) => (word === 'gRPC' ? word : word.charAt(0).toUpperCase() + word.slice(1)));
  return shown.join(' ') || name;
}

/** `ingress-nginx` → `IngressNginx`. */
export function toPascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** The slug of a text as a model name: ASCII, at most 100 characters; empty when the text has no usable characters. */
export function toSlugName(text: string): string {
  const ascii = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^\p{ASCII}]/gu, '-');
  return toCategorySlug(ascii).slice(0, MAX_SLUG_LENGTH).replace(/-$/, '');
}
