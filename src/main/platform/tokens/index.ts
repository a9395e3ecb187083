import { assertNever } from '@shared/result'
import { type ClientCredentialsPorts, clientCredentials } from './client-credentials'
import { commandTokens } from './command'
import { pastedToken } from './held-token'
import type { RunCommand } from './run-command'
import type { TokenSource, TokenSourceConfig } from './token-source'

/** What the three kinds need; `secret` reads the client's secret or the pasted token from where it is kept. */
export interface TokenPorts extends ClientCredentialsPorts {
  readonly run: RunCommand
}

/** The token source that a connection names (decisions 2); make it once per connection, so that its token is shared. */
export function createTokenSource(config: TokenSourceConfig, ports: TokenPorts): TokenSource {
  switch (config.kind) {
    case 'client-credentials':
      return clientCredentials(config, ports)
    case 'command':
      return commandTokens(config, ports)
    case 'pasted':
      return pastedToken(ports.secret)
    default:
      return assertNever(config)
  }
}
