import type { ContainerCheck } from '@shared/contract'
import i18next from 'i18next'
import { CircleCheck, CircleHelp, CircleStop, CircleX, Play } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { CopyText } from '../../../copy-text'
import { ExplainedFailure } from '../../../failures'
import { formatDuration } from '../../../format'
import { useAction, useCancelableCall } from '../../../ipc'
import { checkPath } from '../../../paths'
import { RelativeTime } from '../../../relative-time'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { QuietCode } from '../../../ui/code'
import { Form, TextAreaField, TextField } from '../../../ui/field'
import { Card, CardSection, Section } from '../../../ui/page'
import { ProgressBar } from '../../../ui/skeleton'
import { useWindowState } from '../../../window-state'
import { shellWord } from '../registry/repositories'
import { SectionPage } from '../resources'
import { runtimesSection } from './runtimes'

const t = i18next.getFixedT(null, ['runtimes', 'common'])

/** Environment variables injected by the runtime (spec, "Agent container contract"). */
const injectedVariables = ['PLATFORM_CLIENT_ID', 'PLATFORM_CLIENT_SECRET', 'PLATFORM_AGENT_IDENTITY'] as const

/** Tests a local agent container against the runtime contract. Needs no connection. */
export function CheckPage() {
  const check = useCheck()
  const { result, isDone } = check
  const [failed, unknown, passed] = (['failed', 'unknown', 'passed'] as const).map(
    (counted) => result?.findings.filter(({ state }) => state === counted).length,
  )
  const findings = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isDone) findings.current?.scrollIntoView({ block: 'start' })
  }, [isDone])
  return (
    <SectionPage section={runtimesSection} tab={checkPath}>
      <Section title={t('check.title')} description={t('check.text')}>
        <EndpointCheckForm check={check} />
      </Section>
      {result ? (
        <div ref={findings} className="flex scroll-mt-4 flex-col gap-6">
          <Section
            title={t('check.findings')}
            description={[
              result.url,
              failed ? t('check.failedCount', { count: failed }) : undefined,
              unknown ? t('check.unknownCount', { count: unknown }) : undefined,
              t('check.passedCount', { count: passed }),
              formatDuration(result.durationMs),
              <RelativeTime key="at" at={result.at} />,
            ]}
          >
            <ul className="divide-y rounded-lg border bg-surface" aria-label={t('check.findings')}>
              {result.findings.map((finding) => (
                <FindingRow key={finding.what} {...finding} />
              ))}
            </ul>
          </Section>
          {result.sample ? <SampleResponse sample={result.sample} /> : null}
        </div>
      ) : null}
      <CardSection title={t('check.injected')} description={t('check.injectedText')}>
        <dl className="flex flex-col gap-2">
          {injectedVariables.map((name) => (
            <div key={name} className="grid grid-cols-[210px_minmax(0,1fr)] gap-3">
              <dt className="select-text font-mono text-sm">{name}</dt>
              <dd>{t(`check.variables.${name}`)}</dd>
            </div>
          ))}
        </dl>
      </CardSection>
    </SectionPage>
  )
}

const stateStyles = {
  passed: { icon: CircleCheck, tone: 'success' },
  failed: { icon: CircleX, tone: 'danger' },
  unknown: { icon: CircleHelp, tone: 'warning' },
} as const

function FindingRow({ what, state, code, values }: ContainerCheck['findings'][number]) {
  const { icon, tone } = stateStyles[state]
  return (
    <li className="grid grid-cols-[108px_minmax(0,1fr)] items-start justify-items-start gap-3 px-3.5 py-2.5">
      <Badge tone={tone} icon={icon}>
        {t(`check.states.${state}`)}
      </Badge>
      <div className="flex min-w-0 flex-col gap-0.5 justify-self-stretch">
        <p className="font-strong">{t(`check.what.${what}`)}</p>
        <p className="select-text text-muted wrap-anywhere">{t(`check.seen.${code}`, { replace: values })}</p>
        {state === 'passed' ? null : <p>{t(`check.todo.${what}`)}</p>}
      </div>
    </li>
  )
}

function SampleResponse({ sample }: { readonly sample: NonNullable<ContainerCheck['sample']> }) {
  const { path, headers, status, answer } = sample
  const parts = [
    { title: t('check.sent'), text: [`POST ${path}`, ...headers.map((header) => header.join(': '))].join('\n') },
    status === undefined
      ? { title: t('check.noAnswer'), text: undefined }
      : { title: t('check.answered', { status }), text: answer === '' ? t('check.emptyAnswer') : answer },
  ]
  return (
    <CardSection title={t('check.sample')} description={t('check.sampleText')}>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,320px),1fr))] gap-4 *:min-w-0">
        {parts.map(({ title, text }) => (
          <div key={title}>
            <h3 className="mb-1.5 font-medium text-muted text-sm">{title}</h3>
            {text === undefined ? null : <pre className={preTextClass}>{text}</pre>}
          </div>
        ))}
      </div>
    </CardSection>
  )
}

export const preTextClass = joinClassNames(
  'max-h-70 select-text overflow-auto rounded-md border bg-well px-3 py-2.5',
  'whitespace-pre-wrap leading-4.75 wrap-anywhere',
)

/** Fields of the form with their placeholders. */
const textFields = [
  ['userId', 'user-42'],
  ['sessionId', 'session-42'],
  ['samplePath', '/invocations'],
] as const

function EndpointCheckForm({ check }: { readonly check: ReturnType<typeof useCheck> }) {
  const { input, change, result, isRunning, failure, start, cancel } = check
  const wasCancelled = failure?.code === 'net.cancelled'
  const failedCount = result?.findings.filter(({ state }) => state === 'failed').length
  const outcome = failedCount === undefined ? '' : t('runtimes:check.failedCount', { count: failedCount })
  const line = [
    `companion contract check ${shellWord(input.url.trim())}`,
    ...options.flatMap(([option, field]) => {
      const value = input[field].trim()
      return value === '' ? [] : [`--${option} ${shellWord(value)}`]
    }),
  ].join(' ')
  return (
    <Card>
      <Form className="flex flex-col gap-4" onSubmit={start} aria-label={t('runtimes:check.form')}>
        <TextField
          label={t('runtimes:check.fields.url')}
          hint={t('runtimes:check.hints.url')}
          required
          mono
          value={input.url}
          onChange={change('url')}
        />
        <div className="grid grid-cols-[repeat(auto-fit,minmax(200px,1fr))] gap-3">
          {textFields.map(([field, placeholder]) => (
            <TextField
              key={field}
              label={t(`runtimes:check.fields.${field}`)}
              hint={t(`runtimes:check.hints.${field}`)}
              optional
              mono
              placeholder={placeholder}
              value={input[field]}
              onChange={change(field)}
            />
          ))}
        </div>
        <TextAreaField
          label={t('runtimes:check.fields.sampleBody')}
          optional
          rows={2}
          mono
          placeholder={'{"prompt":"Hello"}'}
          value={input.sampleBody}
          onChange={change('sampleBody')}
        />
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" variant="primary" icon={Play} busy={isRunning} disabled={input.url.trim() === ''}>
            {t('runtimes:check.start')}
          </Button>
          {isRunning ? (
            <Button icon={CircleStop} onClick={cancel}>
              {t('common:cancel')}
            </Button>
          ) : null}
          <span className="text-muted text-sm" role="status">
            {isRunning ? '' : wasCancelled ? t('runtimes:check.cancelled') : outcome}
          </span>
        </div>
        {isRunning ? <ProgressBar label={t('runtimes:check.running')} /> : null}
        {failure && !wasCancelled ? <ExplainedFailure failure={failure} handlers={{ tryAgain: start }} /> : null}
        <div className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-3 border-t pt-3">
          <span className="text-muted text-sm">{t('runtimes:check.line')}</span>
          <QuietCode wrap>{line}</QuietCode>
          <CopyText text={line} label={t('common:copyNamed', { what: t('runtimes:check.line') })} />
        </div>
      </Form>
    </Card>
  )
}

const options = [
  ['path', 'samplePath'],
  ['user', 'userId'],
  ['session', 'sessionId'],
  ['body', 'sampleBody'],
] as const

/** Options of a check as typed. For an empty option, the main process uses its default. */
const initialInput = { url: 'http://127.0.0.1:8080', userId: '', sessionId: '', samplePath: '', sampleBody: '' }

/** Runs a check that the user can cancel. Input and result are kept until the window closes. */
function useCheck() {
  const [input, setInput] = useWindowState('runtimes.check.input', initialInput)
  const [result, setResult] = useWindowState<ContainerCheck | undefined>('runtimes.check.result', undefined)
  const { createCallId, cancel } = useCancelableCall()
  const { mutate, isPending, isSuccess, error } = useAction('containers.check', {
    onSuccess: (checkResult) => setResult(() => checkResult),
  })
  const url = input.url.trim()
  const start = (): void => {
    if (isPending || url === '') return
    setResult(() => undefined)
    const typed = Object.entries(input).map(([field, value]) => [field, value.trim()] as const)
    mutate({ ...Object.fromEntries(typed.filter(([, value]) => value !== '')), url, callId: createCallId() })
  }
  const change = (field: keyof typeof initialInput) => (value: string) =>
    setInput((previousInput) => ({ ...previousInput, [field]: value }))
  return { input, change, result, isRunning: isPending, isDone: isSuccess, failure: error?.failure, start, cancel }
}
