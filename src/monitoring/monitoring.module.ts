import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module.js';
import { GrafanaController } from './grafana/grafana.controller.js';
import { GrafanaService } from './grafana/grafana.service.js';
import { MonitoringClient } from './monitoring-client.js';
import { MonitoringPingsService } from './monitoring-pings.service.js';
import { PrometheusController } from './prometheus/prometheus.controller.js';
import { PrometheusService } from './prometheus/prometheus.service.js';

@Module({
  imports: [ConnectionsModule],
  controllers: [PrometheusController, GrafanaController],
  providers: [MonitoringClient, MonitoringPingsService, PrometheusService, GrafanaService],
  exports: [MonitoringClient, PrometheusService],
})
export class MonitoringModule {}
