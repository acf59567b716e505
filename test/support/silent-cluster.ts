import { type AddressInfo, createServer, type Server } from 'node:net';

/** Stands for a cluster that takes calls and answers none, so that deployments to it do not end; counts the calls. */
export class SilentCluster {
  calls = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<SilentCluster> {
    const server = createServer();
    const cluster = new SilentCluster(server);
    server.on('connection', (socket) => {
      cluster.calls++;
      socket.on('error', () => undefined);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return cluster;
  }

  get address(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
  }
}
