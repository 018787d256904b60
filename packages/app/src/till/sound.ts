const NOTES_HZ = [880, 1320]
const NOTE_SECONDS = 0.14
const LOUDNESS = 0.2

/** Two notes, made here: there is no file to load. Browsers play them once somebody has touched the page. */
export function playPaid(): void {
  const audio = new AudioContext()
  const gain = audio.createGain()
  gain.gain.value = LOUDNESS
  gain.connect(audio.destination)
  for (const [index, hertz] of NOTES_HZ.entries()) {
    const note = audio.createOscillator()
    note.frequency.value = hertz
    note.connect(gain)
    note.start(audio.currentTime + index * NOTE_SECONDS)
    note.stop(audio.currentTime + (index + 1) * NOTE_SECONDS)
    if (index === NOTES_HZ.length - 1) note.addEventListener('ended', () => void audio.close())
  }
}
