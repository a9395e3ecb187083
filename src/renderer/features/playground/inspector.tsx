import type { MethodInput, PlaygroundWire } from '@shared/contract'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Badge } from '../../ui/badge'
import { joinClassNames } from '../../ui/cn'
import { Sheet } from '../../ui/dialog'
import { reachable } from '../../ui/markdown/elements'
import { Select } from '../../ui/select'
import { Tabs } from '../../ui/tabs'
import { Hint } from '../../ui/text'
import { prettyJson } from './run-result'

const languages = [
  { value: 'curl', label: 'curl' },
  { value: 'python', label: 'Python' },
  { value: 'typescript', label: 'TypeScript' },
] as const

function Block(props: { title: string; text: string; copyLabel: string; none?: string }) {
  const { title, text, copyLabel, none } = props
  return (
    <section className="flex min-w-0 flex-col gap-1.5">
      <header className="flex min-h-6 items-center justify-between">
        <h3>{title}</h3>
        {text === '' ? null : <CopyText text={text} label={copyLabel} />}
      </header>
      {text === '' && none !== undefined ? (
        <Hint>{none}</Hint>
      ) : (
        <pre
          className={joinClassNames(
            'max-h-105 overflow-auto rounded-md border bg-well px-3 py-2.5',
            'whitespace-pre-wrap wrap-anywhere leading-4.5',
          )}
          ref={reachable}
        >
          {text}
        </pre>
      )}
    </section>
  )
}

function Headers({ headers }: { readonly headers: PlaygroundWire['requestHeaders'] }) {
  const { t } = useTranslation('playground')
  return (
    <section className="flex min-w-0 flex-col gap-1.5">
      <h3>{t('inspector.headers')}</h3>
      {headers.length === 0 ? <Hint>{t('inspector.noHeaders')}</Hint> : null}
      <dl className="flex flex-col gap-1 text-sm">
        {headers.map(([name, value], index) => (
          <div key={`${name}-${String(index)}`} className="grid grid-cols-[140px_1fr] gap-3">
            <dt className="wrap-anywhere text-muted">{name}</dt>
            <dd className="wrap-anywhere font-mono">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function RequestView({ wire }: { readonly wire: PlaygroundWire }) {
  const { t } = useTranslation('playground')
  return (
    <>
      <p className="flex min-w-0 items-center gap-2">
        <Badge>{wire.method}</Badge>
        <code className="wrap-anywhere min-w-0">{wire.requestAddress}</code>
        <CopyText text={wire.requestAddress} label={t('inspector.copyAddress')} />
      </p>
      <Headers headers={wire.requestHeaders} />
      <Block title={t('inspector.body')} text={prettyJson(wire.requestBody)} copyLabel={t('inspector.copyRequest')} />
    </>
  )
}

function ResponseView({ wire }: { readonly wire: PlaygroundWire }) {
  const { t } = useTranslation('playground')
  const { status, isEventStream, answerBody } = wire
  return (
    <>
      <p className="flex min-w-0 items-center gap-2">
        {status === undefined ? (
          t('inspector.noStatus')
        ) : (
          <Badge tone={status < 400 ? 'success' : 'danger'}>{t('inspector.status', { status })}</Badge>
        )}
        {wire.isShortened ? <Hint as="span">{t('inspector.shortened')}</Hint> : null}
      </p>
      <Headers headers={wire.answerHeaders} />
      <Block
        title={t(isEventStream ? 'inspector.events' : 'inspector.body')}
        text={isEventStream ? answerBody : prettyJson(answerBody)}
        copyLabel={t('inspector.copyAnswer')}
        none={t('inspector.noBody')}
      />
    </>
  )
}

function CodeView({ runId }: { readonly runId: string }) {
  const { t } = useTranslation('playground')
  const [language, setLanguage] = useState<MethodInput<'playground.code'>['language']>('curl')
  const code = useCall('playground.code', { runId, language })
  return (
    <>
      <div className="grid grid-cols-[140px_1fr] items-center gap-3">
        <Select aria-label={t('inspector.language')} value={language} onValueChange={setLanguage} options={languages} />
        <Hint>{t('inspector.keyHint')}</Hint>
      </div>
      <Loaded query={code} rows={4}>
        {(data) => <Block title={t('inspector.asCode')} text={data.code} copyLabel={t('inspector.copyCode')} />}
      </Loaded>
    </>
  )
}

/** Shows the raw request, response, stream events and code of a run. The main process has masked secrets in them. */
export function RunInspector(props: {
  readonly runId: string
  readonly onClose: () => void
  /** Tab that is open initially. */
  readonly face?: 'request' | 'answer' | 'code'
}) {
  const { runId, onClose, face: initialFace = 'request' } = props
  const { t } = useTranslation('playground')
  const [face, setFace] = useState(initialFace)
  const wire = useCall('playground.inspect', { runId })
  const renderTab = (Part: typeof RequestView): ReactNode => (
    <Loaded query={wire} rows={5}>
      {(data) => <Part wire={data} />}
    </Loaded>
  )
  return (
    <Sheet onClose={onClose} title={t('inspector.title')} description={t('inspector.text')}>
      <Tabs
        label={t('inspector.faces')}
        value={face}
        onValueChange={setFace}
        tabs={[
          { value: 'request', label: t('inspector.request'), content: renderTab(RequestView) },
          { value: 'answer', label: t('inspector.answer'), content: renderTab(ResponseView) },
          { value: 'code', label: t('inspector.code'), content: <CodeView runId={runId} /> },
        ]}
      />
    </Sheet>
  )
}
