// Starts Swagger UI on the document that the page names.
const root = document.getElementById("ui");
const settings = JSON.parse(root.dataset.settings);
SwaggerUIBundle({
  url: new URL(settings.url, document.baseURI).href,
  domNode: root,
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  supportedSubmitMethods: settings.readOnly ? [] : undefined,
  presets: [SwaggerUIBundle.presets.apis],
});
