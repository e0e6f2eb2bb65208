import { type DynamicModule, Module } from '@nestjs/common';
import { AdminModule } from '#admin/module';
import { ProxyModule, type ProxyModuleOptions } from '#proxy/module';

/** A proxy, and the admin server where the configuration has an address for it. */
@Module({})
export class ProxyAdminAppModule {
  static forRoot(options: ProxyModuleOptions): DynamicModule {
    const { adminAddress, admin } = options.config;
    const proxy = ProxyModule.forRoot(options);
    const hasAdmin = adminAddress !== undefined;
    return {
      module: ProxyAdminAppModule,
      imports: [hasAdmin ? AdminModule.forRoot({ proxy, extensions: admin.extensions }) : proxy],
    };
  }
}
