/** Files as callers send them, made to a size. */
export interface Source {
  form: string;
  path: string;
  text: (bytes: number) => string;
}

const resource = (index: number): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: app-${index}
  labels: { app: app-${index}, tier: "web", release: 'stable' }
spec:
  replicas: ${1 + (index % 5)}
  selector:
    matchLabels:
      app: app-${index}
  template:
    metadata:
      labels:
        app: app-${index}
    spec:
      containers:
        - name: main
          image: registry.example.org/team/app:${index}
          args: ["--listen=:8080", "--verbose"]
          ports:
            - containerPort: 8080
          resources:
            requests: { cpu: 100m, memory: 128Mi }
            limits:
              memory: 256Mi
`;

const repeated = (bytes: number, piece: (index: number) => string, between = ''): string => {
  const parts: string[] = [];
  for (let size = 0, index = 0; size < bytes; index += 1) {
    const part = piece(index);
    if (size + part.length + between.length > bytes) break;
    parts.push(part);
    size += part.length + between.length;
  }
  return parts.join(between);
};

const component = (index: number): string =>
  JSON.stringify({
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    displayName: `config-${index}`,
    component: { kind: 'ConfigMap', version: 'v1' },
    model: { name: 'kubernetes' },
    configuration: { metadata: { name: `config-${index}` }, data: { key: `value ${index}`, other: 'x'.repeat(60) } },
  });

/** Four ways to be large. */
export const sources: readonly Source[] = [
  { form: 'Kubernetes, many documents', path: 'many.yaml', text: (bytes) => repeated(bytes, resource, '---\n') },
  {
    form: 'Kubernetes, one document',
    path: 'one.yaml',
    text: (bytes) =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: huge}\ndata:\n${repeated(bytes - 100, (index) => `  key-${index}: "value ${index}"\n`)}`,
  },
  {
    form: 'Compose, many services',
    path: 'compose.yaml',
    text: (bytes) =>
      `services:\n${repeated(bytes - 100, (index) => `  app-${index}:\n    image: registry.example.org/app:${index}\n    environment:\n      LEVEL: debug\n    ports: ["${8000 + (index % 1000)}"]\n`)}`,
  },
  {
    form: 'design, JSON',
    path: 'design.json',
    text: (bytes) =>
      `{"name":"large","schemaVersion":"designs.meshery.io/v1beta1","version":"1.0.0","components":[${repeated(bytes - 150, component, ',')}]}`,
  },
];

/** Text that costs more than it looks: every one must be taken or refused without holding others up. */
export const hostile: readonly Source[] = [
  {
    form: 'each resource of a kind of its own',
    path: 'kinds.yaml',
    text: (bytes) =>
      repeated(bytes, (index) => `apiVersion: a${index}.io/v1\nkind: K${index}\nmetadata: {name: n}\n`, '---\n'),
  },
  { form: 'nothing but faults', path: 'faults.yaml', text: (bytes) => repeated(bytes, () => 'a: [1, 2\n', '---\n') },
  { form: 'flow mappings', path: 'flow.yaml', text: (bytes) => `[${repeated(bytes - 10, () => '{a: {b: {}}}', ',')}]` },
  {
    form: 'one long text',
    path: 'text.yaml',
    text: (bytes) =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: "${'ä'.repeat((bytes - 100) / 2)}"\n`,
  },
];
