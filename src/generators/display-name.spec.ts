import { toDisplayName, toPascalCase, toSlugName } from './display-name.js';

it('shows names in words, acronyms whole', () => {
  const names = {
    HorizontalPodAutoscaler: 'Horizontal Pod Autoscaler',
    CSIDriver: 'CSI Driver',
    APIService: 'API Service',
    IPAddress: 'IP Address',
    ServiceCIDR: 'Service CIDR',
    HTTPRoute: 'HTTP Route',
    EC2NodeClass: 'EC2 Node Class',
    S3Bucket: 'S3 Bucket',
    OAuthClient: 'OAuth Client',
    MySQLCluster: 'MySQL Cluster',
    VMs: 'VMs',
    AllowedIPs: 'Allowed IPs',
    K8sCluster: 'K8s Cluster',
    'ingress-nginx': 'Ingress Nginx',
    create_pet_request: 'Create Pet Request',
    größe: 'größe',
    __: '__',
  };
  expect(Object.fromEntries(Object.keys(names).map((name) => [name, toDisplayName(name)]))).toEqual(names);
});

it('makes kinds and names', () => {
  expect(toPascalCase('ingress-nginx')).toBe('IngressNginx');
  expect(toSlugName('Security & Compliance')).toBe('security-compliance');
  expect(toSlugName('  Café API (v2)! ')).toBe('cafe-api-v2');
  expect(toSlugName('日本 Größe')).toBe('gro-e');
  expect(toSlugName('x'.repeat(200))).toHaveLength(100);
});
