// Drop a result file anywhere on the field; say what is going on while a large one is read. Works without: a file input.
const form = document.getElementById("import");
if (form) {
  const input = form.querySelector('input[type="file"]');
  const field = form.querySelector(".drop");
  for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
    field.addEventListener(kind, (event) => {
      event.preventDefault();
      field.classList.toggle("over", kind === "dragenter" || kind === "dragover");
    });
  }
  field.addEventListener("drop", (event) => {
    if (event.dataTransfer.files.length) {
      input.files = event.dataTransfer.files;
      input.focus();
    }
  });
  const button = form.querySelector("button");
  const words = button.textContent;
  form.addEventListener("submit", () => {
    button.disabled = true;
    button.textContent = form.dataset.reading;
  });
  addEventListener("pageshow", () => {
    if (button.textContent === form.dataset.reading) {
      button.disabled = false;
      button.textContent = words;
    }
  });
}
document.querySelector(".trouble[tabindex]")?.focus();
