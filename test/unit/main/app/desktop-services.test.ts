import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { showNotice } from '../../../../src/main/app/desktop-services'
import { shown } from '../../support/electron'

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  // What a weak reference gave lives until the next task.
  await new Promise(setImmediate)
  runInNewContext('gc')()
}

it('opens the place of a notification that is clicked long after it was shown, in its connection', async () => {
  const done: string[] = []
  const connections = {
    list: () => [{ id: 'other', isActive: false }],
    use: (id: string) => void done.push(`use ${id}`),
  }
  const core = { connections } as unknown as Parameters<typeof showNotice>[0]
  const show = showNotice(core, (path) => void done.push(`open ${path}`))
  show({ title: 'team expires in 3 days', body: '', path: '/plans/p?connection=other' })
  await collectGarbage()
  shown[0]?.deref()?.emit('click')
  expect(done).toEqual(['use other', 'open /plans/p?connection=other'])
})

it('holds neither those that were closed nor more than the system shows', async () => {
  const core = { connections: { list: () => [] } } as unknown as Parameters<typeof showNotice>[0]
  const show = showNotice(core, () => undefined)
  shown.length = 0
  for (let count = 0; count < 60; count += 1) show({ title: '', body: '', path: '/' })
  shown[59]?.deref()?.emit('close')
  await collectGarbage()
  expect(shown.filter((one) => one.deref() !== undefined)).toHaveLength(49)
})
