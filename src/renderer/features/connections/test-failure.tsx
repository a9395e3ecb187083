import type { ConnectionView } from '@shared/contract'
import type { FailureCode } from '@shared/failure'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useAction } from '../../ipc'
import { Button, ButtonLink } from '../../ui/button'
import { ExplainedFailure } from '../failures/explained-failure'
import type { FieldName } from './entries'
import type { Part } from './parts'
import { editPath } from './paths'
import { secretKind } from './secret-state'
import { failureIn, type PartTest, startTest } from './tests'

interface TestFailureProps {
  readonly part: Part
  readonly connection: ConnectionView
  readonly test: PartTest
  readonly onPaste: () => void
}

type Remedy = 'secret' | 'signIn' | 'certificates' | 'address'

/** What of a connection most likely has to be put right, where the words of the failure have no button for it. */
const remedies: Partial<Record<FailureCode, Remedy>> = {
  'auth.rejected': 'secret',
  'auth.tokenNeeded': 'secret',
  'vault.keyMissing': 'secret',
  'auth.tokenSource': 'signIn',
  'api.unauthorized': 'signIn',
  'api.notConfigured': 'signIn',
  'net.tls': 'certificates',
  'api.notFound': 'address',
  'api.badRequest': 'address',
}

/** The field of the form that a part's address is in. */
const addressField = ({ address }: Part): FieldName => address ?? 'tokenUrl'

function useRemedy({ part, connection, test, onPaste }: TestFailureProps): ReactNode {
  const { t } = useTranslation('connections')
  const { id, isBuiltIn } = connection
  const starting = useAction('sandbox.open', {
    invalidates: ['sandbox', 'plans', 'connections'],
    onSuccess: () => void startTest(id, part.part),
  })
  const code = failureIn(test)?.code
  if (isBuiltIn) {
    return code === 'net.refused' ? (
      <Button size="sm" busy={starting.isPending} onClick={() => starting.mutate({})}>
        {t('test.startSandbox')}
      </Button>
    ) : null
  }
  const kind = secretKind(connection)
  const remedy = code && remedies[code]
  if (remedy === 'secret' && kind) {
    return (
      <Button size="sm" onClick={onPaste}>
        {t(kind === 'pasted' ? 'secret.pasteToken' : 'secret.pasteSecret')}
      </Button>
    )
  }
  if (!remedy) return null
  const fields = { secret: 'signIn', signIn: 'signIn', certificates: 'caFile', address: addressField(part) } as const
  return (
    <ButtonLink size="sm" to={editPath(id, fields[remedy])}>
      {t(`test.remedies.${remedy}`)}
    </ButtonLink>
  )
}

/** Why a test failed and what helps, with the address and the status folded. */
export function TestFailure(props: TestFailureProps) {
  const { part, connection, test } = props
  const navigate = useNavigate()
  const remedy = useRemedy(props)
  const failure = failureIn(test)
  if (!failure) return null
  const outcome = test.state === 'done' && !test.outcome.ok ? test.outcome : undefined
  const setAddress = (): void => void navigate(editPath(connection.id, addressField(part)))
  return (
    <ExplainedFailure
      failure={failure}
      context={{ plan: connection.name, requestAddress: outcome?.requestAddress, status: outcome?.status }}
      handlers={{
        tryAgain: () => void startTest(connection.id, part.part),
        ...(connection.isBuiltIn ? {} : { setAddress }),
      }}
      actions={remedy}
    />
  )
}
