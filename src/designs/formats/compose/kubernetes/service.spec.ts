import { resources } from './workload.fixture.js';

describe('a Service', () => {
  async function portsOf(service: string): Promise<unknown> {
    const found = await resources(`services: {web: ${service}}`);
    return (found.get('Service/web') as unknown as { spec: { ports: unknown } }).spec.ports;
  }

  it('has the published ports, and inside the cluster those of the container', async () => {
    expect(
      await portsOf('{image: x, ports: ["8080:80", "127.0.0.1:53:53/udp", "[::1]:90-91:90-91"], expose: ["7000"]}'),
    ).toEqual([
      { name: '8080', port: 8080, targetPort: 80, protocol: 'TCP' },
      { name: '53-udp', port: 53, targetPort: 53, protocol: 'UDP' },
      { name: '90', port: 90, targetPort: 90, protocol: 'TCP' },
      { name: '91', port: 91, targetPort: 91, protocol: 'TCP' },
      { name: '80', port: 80, targetPort: 80, protocol: 'TCP' },
      { name: '7000', port: 7000, targetPort: 7000, protocol: 'TCP' },
    ]);
  });

  it('is of the type that its label names', async () => {
    const labels =
      'labels: {kompose.service.type: nodeport, kompose.service.nodeport.port: "30080", kompose.service.external-traffic-policy: local}';
    const found = await resources(`services: {web: {image: x, ports: ["8080:80"], ${labels}}}`);
    expect(found.get('Service/web')).toMatchObject({
      spec: { type: 'NodePort', externalTrafficPolicy: 'Local', ports: [{ port: 8080, nodePort: 30080 }] },
    });
  });

  it('is reached from outside through an Ingress', async () => {
    const labels =
      'labels: {kompose.service.expose: "a.example.com/shop,b.example.com", kompose.service.expose.tls-secret: tls, kompose.service.expose.ingress-class-name: nginx}';
    const found = await resources(`services: {web: {image: x, ports: ["80"], ${labels}}}`);
    expect(found.get('Ingress/web')).toMatchObject({
      spec: {
        ingressClassName: 'nginx',
        rules: [
          { host: 'a.example.com', http: { paths: [{ path: '/shop' }] } },
          { host: 'b.example.com', http: { paths: [{ path: '/' }] } },
        ],
        tls: [{ hosts: ['a.example.com', 'b.example.com'], secretName: 'tls' }],
      },
    });
  });

  it('has a name that begins with a letter', async () => {
    const found = await resources('services: {3scale_API: {image: x, ports: ["80"]}}');
    expect([...found.keys()]).toEqual(['Deployment/3scale-api', 'Service/svc-3scale-api']);
  });
});
