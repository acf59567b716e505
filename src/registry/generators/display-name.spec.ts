import { displayNameOf, pascalCaseOf, slugOf } from './display-name.js';

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
  expect(Object.fromEntries(Object.keys(names).map((name) => [name, displayNameOf(name)]))).toEqual(names);
});

it('makes kinds and slugs', () => {
  expect(pascalCaseOf('ingress-nginx')).toBe('IngressNginx');
  expect(slugOf('Security & Compliance')).toBe('security-compliance');
  expect(slugOf('  Café API (v2)! ')).toBe('cafe-api-v2');
});
