import type { MethodInput, PlaygroundWire } from '@shared/contract'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Badge } from '../../ui/badge'
import { Sheet } from '../../ui/dialog'
import { reachable } from '../../ui/markdown/code-view'
import { Select } from '../../ui/select'
import { SkeletonRows } from '../../ui/skeleton'
import { Tabs } from '../../ui/tabs'
import styles from './inspector.module.css'
import { prettyJson } from './run-result'

type Face = 'request' | 'answer' | 'code'
type Language = MethodInput<'playground.code'>['language']

const languages = [
  { value: 'curl', label: 'curl' },
  { value: 'python', label: 'Python' },
  { value: 'typescript', label: 'TypeScript' },
] as const satisfies readonly { readonly value: Language; readonly label: string }[]

function Block(props: {
  readonly title: ReactNode
  readonly text: string
  readonly copyLabel: string
  readonly none?: string
}) {
  const { title, text, copyLabel, none } = props
  return (
    <section className={styles.block}>
      <header className={styles.head}>
        {title}
        {text === '' ? null : <CopyText text={text} label={copyLabel} />}
      </header>
      {text === '' && none !== undefined ? (
        <p className={styles.none}>{none}</p>
      ) : (
        <pre className={styles.text} ref={reachable}>
          {text}
        </pre>
      )}
    </section>
  )
}

function Headers({ headers }: { readonly headers: PlaygroundWire['requestHeaders'] }) {
  const { t } = useTranslation('playground')
  return (
    <section className={styles.block}>
      <h3>{t('inspector.headers')}</h3>
      {headers.length === 0 ? <p className={styles.none}>{t('inspector.noHeaders')}</p> : null}
      <dl className={styles.headers}>
        {headers.map(([name, value], at) => (
          <div key={`${name}-${String(at)}`}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function RequestFace({ wire }: { readonly wire: PlaygroundWire }) {
  const { t } = useTranslation('playground')
  return (
    <>
      <p className={styles.address}>
        <Badge>{wire.method}</Badge>
        <code>{wire.requestAddress}</code>
        <CopyText text={wire.requestAddress} label={t('inspector.copyAddress')} />
      </p>
      <Headers headers={wire.requestHeaders} />
      <Block
        title={<h3>{t('inspector.body')}</h3>}
        text={prettyJson(wire.requestBody)}
        copyLabel={t('inspector.copyRequest')}
      />
    </>
  )
}

function AnswerFace({ wire }: { readonly wire: PlaygroundWire }) {
  const { t } = useTranslation('playground')
  const isGood = wire.status !== undefined && wire.status < 400
  return (
    <>
      <p className={styles.address}>
        {wire.status === undefined ? (
          t('inspector.noStatus')
        ) : (
          <Badge tone={isGood ? 'success' : 'danger'}>{t('inspector.status', { status: wire.status })}</Badge>
        )}
        {wire.isShortened ? <span className={styles.none}>{t('inspector.shortened')}</span> : null}
      </p>
      <Headers headers={wire.answerHeaders} />
      <Block
        title={<h3>{t(wire.isEventStream ? 'inspector.events' : 'inspector.body')}</h3>}
        text={wire.isEventStream ? wire.answerBody : prettyJson(wire.answerBody)}
        copyLabel={t('inspector.copyAnswer')}
        none={t('inspector.noBody')}
      />
    </>
  )
}

function CodeFace({ runId }: { readonly runId: string }) {
  const { t } = useTranslation('playground')
  const [language, setLanguage] = useState<Language>('curl')
  const code = useCall('playground.code', { runId, language })
  const choose = (value: string): void => {
    const chosen = languages.find((one) => one.value === value)
    if (chosen) setLanguage(chosen.value)
  }
  return (
    <>
      <div className={styles.language}>
        <Select aria-label={t('inspector.language')} value={language} onValueChange={choose} options={languages} />
        <p className={styles.none}>{t('inspector.keyHint')}</p>
      </div>
      <Loaded query={code} skeleton={<SkeletonRows rows={4} />}>
        {(data) => (
          <Block title={<h3>{t('inspector.asCode')}</h3>} text={data.code} copyLabel={t('inspector.copyCode')} />
        )}
      </Loaded>
    </>
  )
}

function Faces({ runId, face: first }: { readonly runId: string; readonly face: Face }) {
  const { t } = useTranslation('playground')
  const [face, setFace] = useState<Face>(first)
  const wire = useCall('playground.inspect', { runId })
  const shown = (Part: typeof RequestFace): ReactNode => (
    <Loaded query={wire} skeleton={<SkeletonRows rows={5} />}>
      {(data) => <Part wire={data} />}
    </Loaded>
  )
  return (
    <Tabs
      label={t('inspector.faces')}
      value={face}
      onValueChange={setFace}
      tabs={[
        { value: 'request', label: t('inspector.request'), content: shown(RequestFace) },
        { value: 'answer', label: t('inspector.answer'), content: shown(AnswerFace) },
        { value: 'code', label: t('inspector.code'), content: <CodeFace runId={runId} /> },
      ]}
    />
  )
}

export interface RunInspectorProps {
  readonly runId: string
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** What is shown first. */
  readonly face?: Face
}

/** A run as it went over the wire: request, answer with the raw events of its stream, and the request as code. Secrets are masked by main. */
export function RunInspector({ runId, open, onOpenChange, face = 'request' }: RunInspectorProps) {
  const { t } = useTranslation('playground')
  return (
    <Sheet open={open} onOpenChange={onOpenChange} title={t('inspector.title')} description={t('inspector.text')}>
      {open ? <Faces runId={runId} face={face} /> : null}
    </Sheet>
  )
}
