import { join } from 'node:path';

export function etcdFlags(folder: string, clients: string, peers: string): string[] {
  return [
    ...['--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync', '--log-level', 'error'],
    ...['--listen-client-urls', clients, '--advertise-client-urls', clients],
    ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers, '--initial-cluster', `default=${peers}`],
  ];
}

export function apiServerFlags(
  folder: string,
  etcd: string,
  port: number | undefined,
  makesServiceAccounts: boolean,
): string[] {
  return [
    ...[
      '--etcd-servers',
      etcd,
      '--bind-address',
      '127.0.0.1',
      '--advertise-address',
      '127.0.0.1',
      '--secure-port',
      String(port),
    ],
    ...[
      '--cert-dir',
      join(folder, 'certs'),
      '--token-auth-file',
      join(folder, 'tokens.csv'),
      '--authorization-mode',
      'RBAC',
    ],
    ...[
      '--service-account-issuer',
      'https://kubernetes.default.svc',
      '--service-account-key-file',
      join(folder, 'sa.pub'),
    ],
    ...['--service-account-signing-key-file', join(folder, 'sa.key'), '--service-cluster-ip-range', '10.96.0.0/16'],
    '--allow-privileged',
    ...(makesServiceAccounts ? [] : ['--disable-admission-plugins=ServiceAccount']),
  ];
}

export function controllerManagerFlags(folder: string, kubeconfig: string): string[] {
  return [
    ...schedulerFlags(kubeconfig),
    ...[
      '--service-account-private-key-file',
      join(folder, 'sa.key'),
      '--root-ca-file',
      join(folder, 'certs', 'apiserver.crt'),
    ],
    '--use-service-account-credentials=false',
  ];
}

export function schedulerFlags(kubeconfig: string): string[] {
  const files = [
    '--kubeconfig',
    kubeconfig,
    '--authentication-kubeconfig',
    kubeconfig,
    '--authorization-kubeconfig',
    kubeconfig,
  ];
  return [...files, '--leader-elect=false', '--secure-port', '0'];
}
