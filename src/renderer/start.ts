import './ui/fonts.css'
import './ui/styles.css'

/** How long a paint is waited for, in ms: a window that cannot be seen has none. */
const maxPaintWaitMs = 500

/** The page has its first screen in it, so that it is seen before all that can be done with it is loaded. */
async function load(): Promise<void> {
  await new Promise((painted) => {
    new PerformanceObserver(painted).observe({ type: 'paint', buffered: true })
    setTimeout(painted, maxPaintWaitMs)
  })
  const { start } = await import('./main')
  const root = document.getElementById('root')
  if (root) await start(root)
}

void load()
