import { closeSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setInterval as every } from 'node:timers/promises'

// Writes `rate` times a second to a few files in each folder, every second time by replacing the file.
const [rate = '0', ...folders] = process.argv.slice(2)
const tickIntervalMs = 10
const entriesPerTurn = (Number(rate) * tickIntervalMs) / 1000
let count = 0
for await (const _ of every(tickIntervalMs)) {
  for (let fileIndex = 0; fileIndex < entriesPerTurn; fileIndex += 1, count += 1) {
    const path = join(String(folders[count % folders.length]), `busy-${count % 7}`)
    const isReplaced = count % 2 === 0
    const file = openSync(isReplaced ? `${path}.new` : path, 'w')
    writeSync(file, String(count))
    closeSync(file)
    if (isReplaced) renameSync(`${path}.new`, path)
  }
}
