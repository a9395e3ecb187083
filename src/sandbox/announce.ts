import type { FailedMessage, ReadyMessage, SandboxMessage } from './ready'

function describeReady({ gatewayUrl, plans }: ReadyMessage): string {
  const plan = plans.find(({ status }) => status === 'ACTIVE')
  const key = plan?.keys.find(({ status }) => status === 'ACTIVE')
  const models = plan?.models.map(({ modelCode }) => modelCode) ?? []
  const body = JSON.stringify({ model: models[0] ?? '', messages: [{ role: 'user', content: 'Say hello' }] })
  return [
    '',
    '  The sandbox is running. Only this computer can reach it.',
    '',
    `  Gateway address     ${gatewayUrl}`,
    `  Chat-completions    ${gatewayUrl}/v1   (base address for tools of this standard)`,
    `  Messages            ${gatewayUrl}      (base address for tools of this standard)`,
    '',
    `  Plan                ${plan?.name ?? 'none is active'}`,
    `  Models              ${models.join(', ')}`,
    `  Key                 ${key?.key ?? 'none is active'}`,
    '',
    '  Try it:',
    '',
    `  curl ${gatewayUrl}/v1/chat/completions -H 'Content-Type: application/json' \\`,
    `    -H 'Authorization: Bearer ${key?.key ?? ''}' \\`,
    `    -d '${body}'`,
    '',
    '  Stop it with Ctrl+C.',
    '',
  ].join('\n')
}

function describeFailed(message: FailedMessage): string {
  if (message.code !== 'portInUse') return `The sandbox could not start: ${message.message}`
  return `The sandbox could not start: port ${message.port} is in use. Stop what uses it, or choose another port (0 takes a free one).`
}

/** What a person at a terminal reads. */
export function announce(message: SandboxMessage): string {
  return message.kind === 'ready' ? describeReady(message) : describeFailed(message)
}
