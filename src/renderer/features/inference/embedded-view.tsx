import { FileSearch } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../ipc'
import { Button } from '../../ui/button'
import { Section } from '../../ui/page'
import { toast } from '../../ui/toast'
import { RunInspector } from '../playground/inspector'
import { RunFacts } from '../playground/run-facts'
import { RunTrouble } from '../playground/run-trouble'
import type { Embedded } from './embeddings-store'
import styles from './inference.module.css'
import { SimilarityTable } from './similarity-table'
import { asCsv, asJson } from './vectors'
import { VectorsTable } from './vectors-table'

function CopyAs({ embedded }: { readonly embedded: Embedded }) {
  const { t } = useTranslation('inference')
  const copy = (text: string): void => {
    call('app.copyText', { text }).then(
      () => void toast(t('embeddings.copied')),
      () => void toast(t('copyFailed', { ns: 'common' }), { tone: 'danger' }),
    )
  }
  return (
    <>
      <Button size="sm" onClick={() => copy(asJson(embedded))}>
        {t('embeddings.copyJson')}
      </Button>
      <Button size="sm" onClick={() => copy(asCsv(embedded))}>
        {t('embeddings.copyCsv')}
      </Button>
    </>
  )
}

function Run({ embedded, onAgain, onChooseModel }: Omit<EmbeddedViewProps, 'isOld'>) {
  const { t } = useTranslation('inference')
  const [isInspected, setInspected] = useState(false)
  const { run } = embedded
  return (
    <>
      <RunTrouble run={run} onAgain={onAgain} onChooseModel={onChooseModel} />
      <footer className={styles.foot}>
        <RunFacts run={run} />
        <div className={styles.tools}>
          <Button size="sm" variant="ghost" icon={FileSearch} onClick={() => setInspected(true)}>
            {t('inspect')}
          </Button>
        </div>
      </footer>
      <RunInspector runId={run.id} open={isInspected} onOpenChange={setInspected} />
    </>
  )
}

interface EmbeddedViewProps {
  readonly embedded: Embedded
  /** Whether the inputs were changed since. */
  readonly isOld: boolean
  readonly onAgain: () => void
  readonly onChooseModel: () => void
}

/** Vectors that came: what each input became, and how alike they are. */
export function EmbeddedView({ isOld, ...rest }: EmbeddedViewProps) {
  const { t } = useTranslation('inference')
  const { embedded } = rest
  const hasVectors = embedded.embeddings.length > 0
  return (
    <>
      <Run {...rest} />
      {isOld ? <p className={styles.note}>{t('embeddings.old')}</p> : null}
      {hasVectors ? (
        <Section title={t('embeddings.vectors')} actions={<CopyAs embedded={embedded} />}>
          <VectorsTable embedded={embedded} />
        </Section>
      ) : null}
      {hasVectors && embedded.inputs.length > 1 ? (
        <Section title={t('embeddings.similarity')} description={t('embeddings.similarityText')}>
          <SimilarityTable embedded={embedded} />
        </Section>
      ) : null}
    </>
  )
}
