import type { ComparisonView } from '@shared/contract'
import { useEffect, useState } from 'react'
import { useParams } from 'react-router'
import { call, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { SkeletonRows } from '../../ui/skeleton'
import { ExplainedFailure } from '../failures/explained-failure'
import { GonePart, PartPage } from '../playground/part-page'
import { CasesSection } from './cases-section'
import { ComparisonGrid } from './comparison-grid'
import { ComparisonHeader } from './comparison-header'
import { createEditing, type Editing, EditingContext, useSaving } from './editing'
import styles from './page.module.css'
import { PromptSection } from './prompt-section'
import { useKeepView } from './use-runs-of'

/** One editing for as long as the page shows this comparison; what is not saved yet is when it goes. */
function useOwnEditing(view: ComparisonView): Editing {
  const onSaved = useKeepView(view.id)
  const [editing] = useState(() =>
    createEditing(view, { save: (setup) => call('playground.saveComparison', { id: view.id, setup }), onSaved }),
  )
  useEffect(() => editing.hear(view), [editing, view])
  useEffect(() => {
    const flush = (): void => void editing.flush().catch(() => undefined)
    window.addEventListener('pagehide', flush)
    return () => {
      window.removeEventListener('pagehide', flush)
      flush()
    }
  }, [editing])
  return editing
}

function SaveTrouble({ editing }: { readonly editing: Editing }) {
  const { failure } = useSaving()
  if (!failure) return null
  return (
    <ExplainedFailure failure={failure} handlers={{ tryAgain: () => void editing.flush().catch(() => undefined) }} />
  )
}

function Comparison({ view }: { readonly view: ComparisonView }) {
  const editing = useOwnEditing(view)
  return (
    <EditingContext value={editing}>
      <div className={styles.scroll}>
        <div className={styles.content}>
          <ComparisonGrid
            view={view}
            lead={
              <>
                <ComparisonHeader view={view} />
                <SaveTrouble editing={editing} />
                <PromptSection />
                <CasesSection />
              </>
            }
          />
        </div>
      </div>
    </EditingContext>
  )
}

/** Models or wordings side by side: what is asked at the top, and what came of it beneath. */
export function ComparisonPage() {
  const { comparisonId = '' } = useParams()
  const query = useCall('playground.comparison', { id: comparisonId })
  if (query.error?.failure.code === 'playground.notFound') return <GonePart part="compare" />
  if (query.data) return <Comparison key={query.data.id} view={query.data} />
  return (
    <PartPage part="compare">
      <Loaded query={query} skeleton={<SkeletonRows rows={5} />}>
        {() => null}
      </Loaded>
    </PartPage>
  )
}
