import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { step } from '../../scripts/lib/steps.mjs'
import { runNode, runShellLine } from './run-command.mjs'
import { getRow } from './statistics.mjs'
import { addPlans, benchmarkKey, cli, createBenchSubjects } from './subjects.mjs'

/** @typedef {import('./statistics.mjs').Row} Row */

const roundsPerRun = 6
const quota = { plan: 'team-plan', model: 'large', tokensPercent: 40, requestsLeft: 1200, isExhausted: false }
const input = JSON.stringify({ model: { id: 'large', display_name: 'Large' } })

/**
 * Measures commands that coding tools call often, alternating with `node -e 0`. The first round is a warm-up.
 * @param {{ runs: number, folder: string, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<{ rows: Row[], notes: string[] }>}
 */
export async function benchCommands({ runs, folder, env: desktop }) {
  const { dataDir, env, home } = createBenchSubjects(join(folder, 'command'), desktop)
  const [plan = ''] = await addPlans(dataDir, env)
  const statusCacheJson = JSON.stringify({ at: new Date().toISOString(), quotas: [quota] })
  writeFileSync(join(dataDir, 'statusline.json'), statusCacheJson)
  const command = [cli, '--data-dir', dataDir]
  await runNode([...command, 'statusline', 'add'], { env })
  const settings = readFileSync(join(home, '.claude/settings.json'), 'utf8')
  const { command: shown } = JSON.parse(settings).statusLine
  /** @type {Record<'node' | 'printKey' | 'statusLine' | 'statusProgram', number[]>} */
  const durationsMs = { node: [], printKey: [], statusLine: [], statusProgram: [] }
  const rounds = runs * roundsPerRun
  await step(`Starting node and three commands in turn, ${rounds} times each`, async ({ report }) => {
    for (let roundIndex = 0; roundIndex <= rounds; roundIndex += 1) {
      const node = await runNode(['-e', '0'], { env })
      const key = await runNode([...command, 'key', 'print', '--plan', plan], { env })
      if (key.output !== `${benchmarkKey}\n`) throw new Error('"companion key print" did not print the key.')
      // Run the status line like a coding tool. The first round fills its cache.
      const line = await runShellLine(shown, { env, input })
      const program = await runNode([...command, 'statusline'], { env, input })
      for (const { output } of [line, program])
        if (!output.startsWith('Large · team-plan 40% left'))
          throw new Error('"companion statusline" did not print the quota.')
      if (roundIndex === 0) continue
      durationsMs.node.push(node.durationMs)
      durationsMs.printKey.push(key.durationMs)
      durationsMs.statusLine.push(line.durationMs)
      durationsMs.statusProgram.push(program.durationMs)
      if (roundIndex % roundsPerRun === 0) report(`round ${roundIndex} of ${rounds}`)
    }
  })
  const row = (/** @type {string} */ name, /** @type {readonly number[]} */ app) =>
    getRow({ name: `${name} (bare: node -e 0)`, unit: 'ms', goal: { max: 1.3 } }, { bare: durationsMs.node, app })
  const p95Texts = Object.entries(durationsMs).map(([name, values]) => `${name} ${p95Of(values).toFixed(1)} ms`)
  return {
    rows: [
      row('companion key print', durationsMs.printKey),
      row('companion statusline', durationsMs.statusLine),
      row('companion statusline, of new figures', durationsMs.statusProgram),
    ],
    notes: [`p95 of the commands: ${p95Texts.join(', ')}.`],
  }
}

/** @param {readonly number[]} values */
function p95Of(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN
}
