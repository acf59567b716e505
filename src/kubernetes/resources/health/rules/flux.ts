import type { HealthRules, RuleLines } from '../health-rule.js';
import { SUSPENDED, UNREPORTED } from './common.js';

/** It works on a change while `Ready` is not decided; what it has tried in vain is `Degraded`, though it tries again. */
const RECONCILING: RuleLines = [
  SUSPENDED,
  UNREPORTED,
  ['Progressing', { '/status/conditions': null }],
  ['Progressing', { Ready: 'Unknown', Reconciling: 'True' }],
];
const OTHERWISE: RuleLines = [
  ['Degraded', { Ready: { not: 'True' } }],
  ['Degraded', {}, 'It is not ready'],
];
const SOURCE: RuleLines = [...RECONCILING, ['Healthy', { Ready: 'True', ArtifactInStorage: 'True' }], ...OTHERWISE];

const scanning = (...reasons: string[]): RuleLines => [
  SUSPENDED,
  UNREPORTED,
  ['Progressing', { '/status/conditions': null }],
  ['Progressing', { Ready: 'False', Reconciling: 'True', 'Reconciling.reason': reasons }],
  ['Healthy', { Ready: 'True' }],
  ...OTHERWISE,
];

export const FLUX: HealthRules = {
  'source.toolkit.fluxcd.io/Bucket,GitRepository,HelmChart,OCIRepository,ExternalArtifact': SOURCE,
  'source.toolkit.fluxcd.io/HelmRepository': [
    SUSPENDED,
    // The controller keeps no status of these.
    ['Healthy', { '/spec/type': 'oci' }],
    ...SOURCE,
  ],
  'helm.toolkit.fluxcd.io/HelmRelease': [
    ...RECONCILING,
    ['Healthy', { Ready: 'True', Released: 'True' }],
    ['Healthy', { Ready: 'True', TestSuccess: 'True' }],
    ...OTHERWISE,
  ],
  'kustomize.toolkit.fluxcd.io/Kustomization': [...RECONCILING, ['Healthy', { Ready: 'True' }], ...OTHERWISE],
  'image.toolkit.fluxcd.io/ImageUpdateAutomation': [...RECONCILING, ['Healthy', { Ready: 'True' }], ...OTHERWISE],
  'image.toolkit.fluxcd.io/ImageRepository': scanning('NewGeneration', 'Scanning'),
  'image.toolkit.fluxcd.io/ImagePolicy': scanning('NewGeneration', 'AccessingRepository', 'ApplyingPolicy'),
  'notification.toolkit.fluxcd.io/Receiver,Alert,Provider': [
    SUSPENDED,
    UNREPORTED,
    ['Progressing', { '/status/conditions': null }],
    ['Healthy', { Ready: 'True' }],
    ...OTHERWISE,
  ],
};
