import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** Stands for a cluster that takes calls and answers none, so that deployments to it do not end; counts the calls. */
export class SilentCluster {
  calls = 0;
  private isClosed = false;
  private readonly open = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<SilentCluster> {
    const server = createServer();
    const cluster = new SilentCluster(server);
    server.on('connection', (socket) => cluster.take(socket));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return cluster;
  }

  get address(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Ends all calls, and those that come from now on. */
  hangUp(): void {
    this.isClosed = true;
    for (const socket of this.open) socket.destroy();
  }

  /** Takes calls again. */
  pickUp(): void {
    this.isClosed = false;
  }

  /** Refuses calls while something is done; those that it has taken stay open. */
  async away<T>(work: () => Promise<T>): Promise<T> {
    const { port } = this.server.address() as AddressInfo;
    this.server.close();
    try {
      return await work();
    } finally {
      await new Promise<void>((listening) => this.server.listen(port, '127.0.0.1', listening));
    }
  }

  stop(): void {
    this.hangUp();
    this.server.close();
  }

  private take(socket: Socket): void {
    this.calls++;
    socket.on('error', () => undefined);
    socket.on('close', () => this.open.delete(socket));
    this.open.add(socket);
    if (this.isClosed) socket.destroy();
  }
}
