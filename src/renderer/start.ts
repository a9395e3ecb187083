import './ui/fonts.css'
import './ui/styles.css'

/** Maximum wait for the first paint in ms. A hidden window never paints. */
const maxPaintWaitMs = 500

/** Loads the app after the first screen, which is part of the HTML, was painted. */
async function loadApp(): Promise<void> {
  await new Promise((painted) => {
    new PerformanceObserver(painted).observe({ type: 'paint', buffered: true })
    setTimeout(painted, maxPaintWaitMs)
  })
  const { renderApp: start } = await import('./main')
  const root = document.getElementById('root')
  if (root) await start(root)
}

void loadApp()
