import type { ConnectionView } from '@shared/contract'
import type { FailureCode } from '@shared/failure'
import type { TFunction } from 'i18next'
import { CircleAlert, CircleCheck, CircleDashed, CircleDot, CircleMinus } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { CopyText } from '../../copy-text'
import { ExplainedFailure } from '../../failures'
import { useFormats } from '../../format'
import { useFailureTexts } from '../../i18n/failures'
import { useAction } from '../../ipc'
import { editConnectionPath } from '../../paths'
import { RelativeTime } from '../../relative-time'
import { getRunFailure } from '../../runs'
import { Button, ButtonLink } from '../../ui/button'
import { joinClassNames } from '../../ui/cn'
import { ExpandButton, GridRow } from '../../ui/rows'
import { Spinner } from '../../ui/skeleton'
import { secretKind } from './connection-dialogs'
import { type FieldName, type PartAddress, partsSetUp } from './entries'
import { cancelTest, type PartTest, startTest } from './tests'

interface TestRowProps {
  readonly part: PartAddress
  readonly connection: ConnectionView
  readonly test: PartTest | undefined
  readonly isOpen: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly onPaste: () => void
}

const size = { size: 16, strokeWidth: 1.9, 'aria-hidden': true } as const

function Mark({ test, isSetUp }: { readonly test: PartTest | undefined; readonly isSetUp: boolean }) {
  if (!isSetUp) return <CircleMinus {...size} className="text-faint" />
  if (!test) return <CircleDashed {...size} className="text-faint" />
  if (test.state === 'running') return <Spinner size={16} />
  if (getRunFailure(test)) return <CircleAlert {...size} className="text-danger" />
  const isUsed = test.state === 'done' && test.result.ok && test.result.proven === 'used'
  return isUsed ? (
    <CircleCheck {...size} className="text-success" />
  ) : (
    <CircleDot {...size} className="text-accent-text" />
  )
}

function TestTexts(props: Pick<TestRowProps, 'part' | 'test' | 'isOpen'> & { readonly isSetUp: boolean }) {
  const { part, test, isSetUp, isOpen } = props
  const { t } = useTranslation('connections')
  const { duration } = useFormats()
  const getFailureTexts = useFailureTexts()
  if (!isSetUp) return <span className="text-faint">{t('test.notSetUp')}</span>
  if (!test) return <span className="text-faint">{t('test.notTested')}</span>
  if (test.state === 'running') return t('test.testing')
  const failure = getRunFailure(test)
  if (failure && isOpen) return <span className="text-danger">{t('test.fails')}</span>
  if (failure) return <span className="text-danger">{t('test.failed', { title: getFailureTexts(failure).title })}</span>
  if (test.state !== 'done' || !test.result.ok) return null
  const { proven, durationMs, at } = test.result
  const isToken = part.part === 'token' && proven === 'reached'
  return (
    <span className="flex flex-wrap gap-x-2">
      <span className={proven === 'used' ? 'text-success' : 'text-accent-text'}>
        {isToken ? t('test.tokenThere') : t(`test.${proven}`, { time: duration(durationMs) })}
      </span>
      <span className="text-faint max-[1100px]:hidden">
        <RelativeTime at={at} />
      </span>
      {proven === 'reached' ? (
        <span className="basis-full text-muted">
          {t(isToken ? 'test.tokenMeans' : part.part === 'gateway' ? 'test.reachedGateway' : 'test.reachedMeans')}
        </span>
      ) : null}
    </span>
  )
}

function Actions(props: TestRowProps & { readonly isSetUp: boolean; readonly detailsId: string }) {
  const { part, connection, test, isSetUp, isOpen, onOpenChange, detailsId } = props
  const { t } = useTranslation('connections')
  const name = partName(part, t)
  const { id, isBuiltIn } = connection
  if (!isSetUp) {
    return isBuiltIn ? null : (
      <ButtonLink
        size="sm"
        variant="ghost"
        to={editConnectionPath(id, part.address ?? 'signIn')}
        aria-label={t('test.setUpNamed', { name })}
      >
        {t('test.setUp')}
      </ButtonLink>
    )
  }
  if (test?.state === 'running') {
    return (
      <Button
        size="sm"
        variant="ghost"
        aria-label={t('test.cancelNamed', { name })}
        onClick={() => cancelTest(id, part.part)}
      >
        {t('test.cancel')}
      </Button>
    )
  }
  return (
    <>
      {getRunFailure(test) ? (
        <ExpandButton
          aria-expanded={isOpen}
          aria-controls={isOpen ? detailsId : undefined}
          aria-label={t('test.explainNamed', { name })}
          onClick={() => onOpenChange(!isOpen)}
        >
          {t('test.explain')}
        </ExpandButton>
      ) : null}
      <Button size="sm" aria-label={t('test.testNamed', { name })} onClick={() => void startTest(id, part.part)}>
        {t('test.test')}
      </Button>
    </>
  )
}

export function TestRow(props: TestRowProps) {
  const { part, connection, test, isOpen, onPaste } = props
  const { t } = useTranslation('connections')
  const id = useId()
  const isSetUp = partsSetUp(connection).includes(part)
  const { addresses, tokenSource } = connection
  const address = part.address && addresses[part.address]
  return (
    <GridRow className="group min-h-13 py-1.75 pl-0">
      <span className="inline-flex justify-self-end text-accent-text">
        <Mark test={test} isSetUp={isSetUp} />
      </span>
      <div className="min-w-0">
        <p className="font-strong">{partName(part, t)}</p>
        {address ? (
          <span
            className={joinClassNames(
              'flex h-5 min-w-0 items-center gap-0.5 [&_button]:opacity-0 group-hover:[&_button]:opacity-100',
              'group-focus-within:[&_button]:opacity-100',
            )}
          >
            <code className="truncate text-muted text-xs" title={address}>
              {address}
            </code>
            <CopyText text={address} label={t('show.copy', { name: partName(part, t) })} />
          </span>
        ) : (
          <span className="block truncate text-muted text-sm">
            {part.address ? t(`addresses.${part.address}.hint`) : t(`sources.${tokenSource?.kind ?? 'none'}`)}
          </span>
        )}
      </div>
      <div className="min-w-0 text-sm">
        <TestTexts part={part} test={test} isSetUp={isSetUp} isOpen={isOpen} />
      </div>
      <div className="flex min-w-19 items-center justify-end gap-1">
        <Actions {...props} isSetUp={isSetUp} detailsId={`${id}-details`} />
      </div>
      {test && isOpen && getRunFailure(test) ? (
        <div id={`${id}-details`} className="col-[2/-1] mt-1 mb-1.5">
          <TestFailure part={part} connection={connection} test={test} onPaste={onPaste} />
        </div>
      ) : null}
    </GridRow>
  )
}

type TestFailureProps = Pick<TestRowProps, 'part' | 'connection' | 'onPaste'> & { readonly test: PartTest }

/** Form field that most likely causes a failure, for failures whose text has no button. */
const remedies: Partial<Record<FailureCode, 'secret' | 'signIn' | 'certificates' | 'address'>> = {
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

const addressField = ({ address }: PartAddress): FieldName => address ?? 'tokenUrl'

function useRemedy({ part, connection, test, onPaste }: TestFailureProps): ReactNode {
  const { t } = useTranslation('connections')
  const { id, isBuiltIn } = connection
  const openSandbox = useAction('sandbox.open', {
    invalidates: ['sandbox', 'plans', 'connections'],
    onSuccess: () => void startTest(id, part.part),
  })
  const code = getRunFailure(test)?.code
  if (isBuiltIn) {
    return code === 'net.refused' ? (
      <Button size="sm" busy={openSandbox.isPending} onClick={() => openSandbox.mutate({})}>
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
    <ButtonLink size="sm" to={editConnectionPath(id, fields[remedy])}>
      {t(`test.remedies.${remedy}`)}
    </ButtonLink>
  )
}

/** Failure with remedies. Address and status are collapsed. */
function TestFailure(props: TestFailureProps) {
  const { part, connection, test } = props
  const navigate = useNavigate()
  const remedy = useRemedy(props)
  const failure = getRunFailure(test)
  if (!failure) return null
  const outcome = test.state === 'done' && !test.result.ok ? test.result : undefined
  const setAddress = (): void => void navigate(editConnectionPath(connection.id, addressField(part)))
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

const partName = ({ address }: PartAddress, t: TFunction<'connections'>): string =>
  address === undefined ? t('test.token') : t(`addresses.${address}.name`)
