import type { ContainerCheck } from '@shared/contract'
import type { Command } from 'commander'
import { addCommand, type CommandContext, toSingleLine } from './output'

export function addContractCommands(
  program: Command,
  context: () => Pick<CommandContext, 'output' | 'readFile'>,
): void {
  addCommand(program, 'contract', context)
    .description('the contract between runtime and agent container')
    .command('check')
    .argument('<url>', 'address of the container, for example http://127.0.0.1:8080')
    .option('--path <path>', 'path of the sample request (default: /invocations)')
    .option('--user <id>', 'end-user id of the sample request (default: generated)')
    .option('--session <id>', 'session id of the sample request (default: generated)')
    .option('--body <json>', 'body of the sample request: text, @FILE, or @- for standard input')
    .description('test a running container against the contract')
    .run(async ({ readFile }, url: string, options: Record<string, string | undefined>) => {
      const { path: samplePath, user: userId, session: sessionId, body } = options
      const sampleBody = body?.startsWith('@') ? await readFile(body.slice(1)) : body
      const { checkContainer } = await import('../platform/containers/check')
      const report = await checkContainer({ url, samplePath, sampleBody, userId, sessionId })
      const { findings, sample } = report
      if (findings.some(({ state }) => state === 'failed')) process.exitCode = 1
      const lines = findings.map(
        ({ what, state, seen }) => `  ${state.padEnd(7)} ${findingTexts[what]}: ${toSingleLine(seen)}`,
      )
      if (sample === undefined) return [report, [report.url, ...lines]]
      const headers = sample.headers.map(([name, value]) => `  ${name}: ${toSingleLine(value)}`)
      const answer = sample.answer === '' ? [] : ['', ...sample.answer.split('\n').map(toSingleLine)]
      return [report, [report.url, ...lines, '', `POST ${sample.path}`, ...headers, ...answer]]
    })
}

const findingTexts: Readonly<Record<ContainerCheck['findings'][number]['what'], string>> = {
  port: 'listens on port 8080',
  health: 'GET /health returns 200',
  bind: 'binds 0.0.0.0',
  sample: 'responds to a request',
  userHeader: 'receives the user id',
  sessionHeader: 'receives the session id',
}
