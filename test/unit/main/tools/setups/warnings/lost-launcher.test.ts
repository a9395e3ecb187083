import { expect, it, test } from 'vitest'
import { missingLauncherWarning } from '../../../../../../src/main/tools/setups/verify'

const path = '/data/bin/companion'
const buildLauncherScript = () => '#!/bin/sh\nexec companion "$@"\n'

test.each(['helper', 'env'] as const)(
  'the launcher that %s calls is previewed as a new file, line by line',
  (delivery) => {
    expect(missingLauncherWarning(delivery, { path, lost: buildLauncherScript })).toEqual([
      {
        path,
        action: 'create',
        holdsKey: false,
        lines: [
          { kind: 'added', text: '#!/bin/sh', newLine: 1 },
          { kind: 'added', text: 'exec companion "$@"', newLine: 2 },
        ],
      },
    ])
  },
)

it('is empty when the launcher exists or nothing calls it', () => {
  expect(missingLauncherWarning('helper', { path, lost: () => undefined })).toEqual([])
  expect(missingLauncherWarning('helper', { path })).toEqual([])
  for (const delivery of ['file', 'envFile', 'inTool', 'plain'] as const)
    expect(missingLauncherWarning(delivery, { path, lost: buildLauncherScript })).toEqual([])
})
