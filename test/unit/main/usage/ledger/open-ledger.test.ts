import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { Database } from '../../../../../src/main/sqlite/database'
import { openLedger, warmDays } from '../../../../../src/main/usage/ledger/open-ledger'

const dayMs = 86_400_000

it('reads every sum by day once, in parts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ledger-warm-'))
  const file = join(folder, 'usage.sqlite')
  const ledger = openLedger({ file, zone: 'UTC' })
  const at = Date.parse('2025-01-01T12:00:00Z')
  const models = ['model-a', 'model-b']
  ledger.add(
    Array.from({ length: 130 }, (_, day) => ({
      ...{ id: `app-${day}`, at: at + Math.floor(day / 2) * dayMs, source: 'app' as const },
      modelCode: models[day % 2] ?? '',
    })),
  )
  const db = new Database(file)
  try {
    const row = vi.spyOn(db, 'row')
    const steps = [...warmDays(db)].length
    const counts = row.mock.results.flatMap(({ value }, call) =>
      row.mock.calls[call]?.[0].includes('count(*)') ? [value?.number(0)] : [],
    )
    expect(steps).toBe(counts.length)
    row.mockRestore()
    const all = db.row('SELECT count(*), count(DISTINCT grouping), max(t) - min(t) + 1 FROM day_sums')
    expect(all?.number(2)).toBe(65)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(all?.number(0))
    // 65 days are three parts of each way of adding up.
    expect(steps).toBe(3 * (all?.number(1) ?? 0))
    expect(steps).toBeGreaterThan(10)
  } finally {
    db.close()
    ledger.close()
    await rm(folder, { recursive: true, force: true })
  }
})
