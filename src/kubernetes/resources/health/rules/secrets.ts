import type { HealthRules } from '../health-rule.js';
import { READY } from './common.js';

/** Certificates, and secrets that come from elsewhere. */
export const SECRETS: HealthRules = {
  // A certificate that is being issued is not ready, which is no fault.
  'cert-manager.io/Certificate': [['Progressing', { Issuing: 'True' }], ...READY],
  'cert-manager.io/Issuer,ClusterIssuer': READY,
  'certmanager.k8s.io/Certificate,Issuer': READY,
  'external-secrets.io/ExternalSecret,PushSecret,SecretStore,ClusterSecretStore': READY,
  'external-secrets.io/ClusterExternalSecret': [
    ['Healthy', { Ready: 'True' }],
    ['Degraded', { PartiallyReady: 'True' }],
    ['Degraded', { NotReady: 'True' }],
  ],
  'kubernetes-client.io/ExternalSecret': [
    ['Healthy', { '/status/status': 'SUCCESS' }],
    ['Degraded', { '/status/status': { startsWith: 'ERROR' } }, '{/status/status}'],
  ],
  'bitnami.com/SealedSecret': [
    ['Degraded', { Synced: 'False' }],
    ['Healthy', { Synced: 'True' }],
  ],
  'onepassword.com/OnePasswordItem': READY,
};
