import { createStateWriter, loadWorld } from '../../../../src/sandbox/state/state-file'
import type { World } from '../../../../src/sandbox/state/world'
import { plainWorld } from '../plain-world'

/** A sandbox state that is large enough for a kill to interrupt its write. */
function createLargeWorld(): World {
  const world = plainWorld('0'.repeat(64), Date.now())
  return { ...world, keys: Array.from({ length: 200 }, () => world.keys).flat() }
}

/** Changes a state file forever, and reports the first write. The test kills it. */
async function keepWriting(path: string): Promise<void> {
  const notify = (text: string) => process.stdout.write(`${text}\n`)
  const loadedWorld = await loadWorld(path, { notify, begin: plainWorld })
  let world = loadedWorld ?? createLargeWorld()
  const writer = createStateWriter(path, notify)
  process.stdout.write(`ready ${world.tokenGeneration}\n`)
  for (;;) {
    world = { ...world, tokenGeneration: world.tokenGeneration + 1 }
    writer.save(world)
    await writer.flush()
  }
}

void keepWriting(process.argv[2] ?? '')
